import { Context } from "effect"
import type { Origins } from "./RequestChecks.ts"

/** The settings of the pipeline. */
export interface EdgeSettings {
  /** The public address of the API, without a trailing slash; links to the documentation of errors begin with it. */
  readonly apiBaseUrl: string
  /** Origins whose pages may call the API. */
  readonly corsOrigins: Origins
  /** The version that health reports. */
  readonly version: string
}

/** The settings of the HTTP API. */
export class Settings extends Context.Service<Settings, EdgeSettings>()("almoner/http/Settings") {}
