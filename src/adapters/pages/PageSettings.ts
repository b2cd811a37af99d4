import { Context } from "effect"

/** What an operator chooses about the pages, beside their address. */
export interface ChosenPages {
  /** Whether pages for whoever works on the service are shown: every component, and what else has no place in production. */
  readonly previews: boolean
}

/** The settings of the pages. Nothing is previewed unless it is asked for. */
export const PageSettings = Context.Reference<ChosenPages>("almoner/pages/PageSettings", {
  defaultValue: () => ({ previews: false })
})
