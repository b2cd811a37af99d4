import { Context } from "effect"

/**
 * Whether work runs in the background (deliveries, mails, sweeps) rather than for somebody who waits for an answer. An
 * adapter may keep resources apart for each, so that neither can take those of the other.
 */
export const Background = Context.Reference<boolean>("almoner/ports/Background", { defaultValue: () => false })
