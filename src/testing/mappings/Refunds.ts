import fc from "fast-check"
import * as Refund from "../../domain/giving/Refund.ts"
import { charity, hour, modelOf, real, stateOf } from "./Charity.ts"

const commands: fc.Arbitrary<Refund.Command> = fc.record({
  _tag: fc.constant("Succeed" as const),
  at: hour,
  processor_reference: fc.constantFrom(null, "re_1")
})

/**
 * Refunds of gifts that were taken elsewhere, beside {@link Refund.machine}: they are born settled, and not settled again. One
 * that succeeded fails only where a processor takes it back.
 */
export const refunds = modelOf(Refund.machine, (driven) => ({
  birth: Refund.births.recorded,
  commands,
  fields: Object.keys(Refund.RefundRecord.fields),
  open: async () => {
    const { calls, caller, id: organisation_id } = await charity(driven)
    const { create, listRefunds, refund } = calls.donations
    const { id: donor_id } = await calls.donors.create({ first_name: "Mary" })
    const gift = { donor_id, donation_type: "MONETARY", amount_cents: 6, donation_date: "2025-12-24" }
    const { id: donation_id } = await create(gift)
    const refunded = await refund(donation_id, { amount_cents: 2 })
    const born = stateOf(Refund.Refund, refunded.refund, { organisation_id, is_beside_gift: false })
    const read = async (id: string) => (await listRefunds(donation_id)).data.find((each) => each.id === id) ?? {}
    const { fail, settle } = driven.almoner.refunds
    return real(driven, calls, born, read, (command: Refund.Command) =>
      command._tag === "Fail"
        ? fail(caller, born.id)
        : settle(caller, born.id, { processor_reference: command.processor_reference })
    )
  }
}))
