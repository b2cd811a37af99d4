import { Context, type Effect } from "effect"
import type { Exchange } from "./Answers.ts"
import type { BodyShare } from "./BodyMemory.ts"
import type { EdgeResponse } from "./Handler.ts"
import type { EdgeSettings } from "./Settings.ts"

export interface PageRequest {
  readonly exchange: Exchange
  readonly settings: EdgeSettings
  /** The memory of the request's body, which is given back when it is answered. */
  readonly openBody: () => BodyShare
}

/** States of the service that a person meets on any page. */
export type PageState = "broken" | "crowded" | "nothing"

/** Answers requests for pages, which are for people and not of the API. */
export interface PageHandler {
  /** Answers a request at an organisation's public address; undefined where there is no page. */
  readonly answer: (request: PageRequest) => Effect.Effect<EdgeResponse> | undefined
  /** A page for a browser that can be shown nothing else. */
  readonly state: (request: PageRequest, state: PageState, more?: Readonly<Record<string, string>>) => EdgeResponse
  /** How often browsers said since the start that a page's policy refused something, by the policy's directives. */
  readonly policyViolations: () => Readonly<Record<string, number>>
}

/** The pages of this host; undefined where it has none, so that everybody is answered as a program is. */
export const Pages = Context.Reference<PageHandler | undefined>("almoner/http/Pages", { defaultValue: () => undefined })
