import { Context } from "effect"
import { type RegimeBook, shippedRegimes } from "../../domain/compliance/RegimeBook.ts"

/** The disclosure regimes of an installation: those that are shipped, unless an operator's file says otherwise. law, section 2. */
export const InstallationRegimes = Context.Reference<RegimeBook>("almoner/ports/InstallationRegimes", {
  defaultValue: () => shippedRegimes
})
