import { Context } from "effect"

/** What an operator chooses about the pages, beside their address. */
export interface ChosenPages {
  /** Whether pages for whoever works on the service are shown: every component, and what else has no place in production. */
  readonly previews: boolean
  /**
   * Origins that the page of a payment at Stripe may ask beside those of Stripe's own guide to policies, such as
   * `https://*.example.com`. pages, section 1.
   */
  readonly stripeSources: ReadonlyArray<string>
  /** The file by which Apple knows the hosts of organisations, as the processor gives it; none is served without it. */
  readonly applePayFile?: Uint8Array
}

/** The settings of the pages. Nothing is previewed, and nobody else may be asked, unless that is chosen. */
export const PageSettings = Context.Reference<ChosenPages>("almoner/pages/PageSettings", {
  defaultValue: () => ({ previews: false, stripeSources: [] })
})
