import { Context } from "effect"

/**
 * Networks that the operator opened to the webhooks of every sandbox organisation, as `address/prefix`: the setting
 * `WEBHOOK_ALLOW_CIDRS`. None by default. MUST be the same where endpoints are saved and where deliveries are made.
 */
export const OperatorCidrs = Context.Reference<ReadonlyArray<string>>("almoner/ports/OperatorCidrs", {
  defaultValue: () => []
})
