import { Context } from "effect"
import type { Origins } from "./Cors.ts"

/** What the edge is told about where it stands. */
export interface EdgeSettings {
  /** Where the API is reached, without a trailing slash; error documentation is addressed from it. */
  readonly apiBaseUrl: string
  /** Origins whose pages may call the API. */
  readonly corsOrigins: Origins
  /** The version that health tells. */
  readonly version: string
}

export class Settings extends Context.Service<Settings, EdgeSettings>()("almoner/http/Settings") {}
