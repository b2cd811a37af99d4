import fc from "fast-check"
import * as Donation from "../../domain/giving/Donation.ts"
import { charity, hour, modelOf, real, stateOf } from "./Charity.ts"

type Refunding = Extract<Donation.Command, { readonly _tag: "RefundPart" | "RefundRest" }>

const commands: fc.Arbitrary<Refunding> = fc.record({
  _tag: fc.constantFrom("RefundPart", "RefundRest"),
  at: hour,
  amount_cents: fc.integer({ min: 1, max: 6 })
})

/**
 * Gifts that are recorded and refunded, beside {@link Donation.machine}. The amount alone decides whether a refund is a
 * part or the rest. Other rows belong to processors of payments.
 */
export const donations = modelOf(Donation.machine, (driven) => ({
  birth: Donation.births.written,
  commands,
  fields: Object.keys(Donation.DonationDetail.fields),
  open: async () => {
    const { calls, id: organisation_id } = await charity(driven)
    const { id: donor_id } = await calls.donors.create({ first_name: "Mary" })
    const { id } = await calls.donations.create({
      donor_id,
      donation_type: "MONETARY",
      amount_cents: 6,
      donation_date: "2025-12-24"
    })
    const hidden = { organisation_id, donation_day: "2025-12-24", consent_responses: [] }
    const born = stateOf(Donation.Donation, await calls.donations.read(id), hidden)
    return real(driven, calls, born, calls.donations.read, (command: Donation.Command) => {
      if (!("amount_cents" in command)) throw new RangeError(`${command._tag} is no use case`)
      return calls.donations.refund(id, { amount_cents: command.amount_cents })
    })
  },
  answers: (decides, state, command) => {
    if (!("amount_cents" in command)) return decides(state, command)
    const isRest = command.amount_cents === state.amount_cents - state.refunded_amount_cents
    return decides(state, { ...command, _tag: isRest ? "RefundRest" : "RefundPart" })
  },
  // service-spec, States and transitions: Donation; decisions, section 5: Donation. Each type of event is delivered once for each gift.
  published: (emitted) =>
    emitted.filter(({ type }, index) => emitted.findIndex((other) => other.type === type) === index),
  // More than what is left is a fault of the field.
  refusal: ({ _tag }) => (_tag === "GuardRefused" ? "InvalidInput" : _tag)
}))
