import { Effect, Option } from "effect"
import { type Integration, isDefault, listing } from "../../../domain/access/Integration.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { mayUse } from "../../../domain/access/Processor.ts"
import type { IntegrationId } from "../../../domain/kernel/Ids.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { parse } from "../../../domain/kernel/Listing.ts"
import type { PaymentMethod } from "../../../domain/kernel/PaymentMethod.ts"
import { isChargeable } from "../../../domain/payments/ChargeCurrency.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { type PaymentProcessor, PaymentProcessors } from "../../../ports/payments/PaymentProcessors.ts"

/** The account that takes an organisation's gifts, and how they may be paid there. */
export interface PaymentAccount {
  readonly integration: Integration
  readonly processor: PaymentProcessor
  readonly methods: ReadonlyArray<PaymentMethod>
}

/** A page's payment: an account that it names, the currency, and the methods where it limits them. */
export interface Payable {
  readonly integration_id: IntegrationId | null
  readonly currency: string
  readonly methods: ReadonlyArray<PaymentMethod> | null
  /** Whether it goes on to other organisations: from an own account nothing can. */
  readonly is_shared: boolean
}

/** Whether the processor needs the donor's payment token: a donor who transfers gives it none. */
export const takesToken = ({ processor }: PaymentAccount, method: PaymentMethod): boolean =>
  processor.capabilities.confirms && method !== "bank_transfer"

/** The accounts of organisations. */
export const makePaymentAccounts = Effect.gen(function* () {
  const integrations = yield* IntegrationStore
  const processors = yield* PaymentProcessors

  /** All integrations of an organisation, newest first. */
  const all = Effect.fnUntraced(function* ({ id }: Organisation) {
    const found: Array<Integration> = []
    for (let more = true; more; ) {
      const after = found.at(-1)?.id
      const paging = [
        ["limit", String(Limits.pageMaximum)],
        ...(after === undefined ? [] : [["starting_after", after]])
      ]
      const query = Effect.fromResult(
        parse(
          listing,
          paging.map(([name = "", value = ""]) => [name, value] as const)
        )
      )
      const page = yield* Effect.orDie(Effect.flatMap(query, (asked) => integrations.list(id, asked)))
      found.push(...page.data)
      more = page.has_more
    }
    return found
  })

  /**
   * The account that takes what is to be paid: the one that is named or else the organisation's default one, where it is
   * active, can be charged now, is at a processor that this installation has, and is paid out in the currency that is asked
   * for. What is shared with other organisations, no own account takes.
   */
  const taking = Effect.fnUntraced(function* (organisation: Organisation, asked: Payable) {
    const chosen = (yield* all(organisation)).find((account) =>
      asked.integration_id === null ? isDefault(account) : account.is_active && account.id === asked.integration_id
    )
    if (chosen === undefined) return Option.none()
    const { charges_enabled, is_own, methods, processor: name, settlement_currency } = chosen
    if (is_own && asked.is_shared) return Option.none()
    const processor = processors.find(name)
    if (!charges_enabled || !mayUse(organisation, name) || Option.isNone(processor)) return Option.none()
    if (settlement_currency !== asked.currency || !isChargeable(settlement_currency)) return Option.none()
    const offered = methods.filter(
      (method) =>
        processor.value.capabilities.methods.includes(method) &&
        (asked.methods === null || asked.methods.includes(method))
    )
    const found: PaymentAccount = { integration: chosen, processor: processor.value, methods: offered }
    return offered.length === 0 ? Option.none() : Option.some(found)
  })

  return { all, taking } as const
})
