import { DateTime, Result } from "effect"
import fc from "fast-check"
import * as CheckoutLink from "../../domain/giving/CheckoutLink.ts"
import { patchOf } from "../Arbitraries.ts"
import { isReached } from "../InTime.ts"
import {
  again,
  changeCommand,
  charity,
  modelOf,
  noChange,
  patchOutcome,
  real,
  start,
  stateOf,
  timedCommand
} from "./Charity.ts"

const expires_at = DateTime.add(start, { hours: 48 })

const changes = patchOf({
  amount_cents: fc.integer({ min: 1, max: 3 }),
  description: fc.constantFrom(null, "Gala dinner"),
  expires_at: fc.constantFrom(null, DateTime.add(start, { hours: 120 })),
  payment_methods: fc.constantFrom(["card"] as const, ["card", "payto"] as const)
})

const commands: fc.Arbitrary<CheckoutLink.Command> = fc.oneof(
  { weight: 4, arbitrary: changeCommand("Change", changes) },
  { weight: 3, arbitrary: timedCommand("Expire", "Cancel") },
  { weight: 1, arbitrary: timedCommand("Archive") }
)

/**
 * Links that are changed, cancelled, archived, and expired by a sweep, beside {@link CheckoutLink.machine}. Every read
 * shows an expiry before the sweep writes it.
 */
export const checkoutLinks = modelOf(CheckoutLink.machine, (driven) => ({
  commands,
  fields: ["code", ...Object.keys(CheckoutLink.eventData.fields)],
  shown: (link, at = start) => ({
    ...link,
    status: link.status === "ACTIVE" && isReached(link.expires_at, at) ? "EXPIRED" : link.status
  }),
  open: async () => {
    const { calls, id: organisation_id } = await charity(driven)
    const shown = await calls.checkoutLinks.create({
      donor_email: "mary@example.org",
      amount_cents: 2,
      expires_at: DateTime.formatIso(expires_at)
    })
    const hidden = { organisation_id, pending_bank_transfer: false }
    const born = stateOf(CheckoutLink.CheckoutLink, shown, hidden)
    const { archive, cancel, read, update } = calls.checkoutLinks
    return real(driven, calls, born, read, (command: CheckoutLink.Command) => {
      if (command._tag === "Change") return update(born.id, command.changes)
      if (command._tag === "Expire") return driven.almoner.sweep()
      return command._tag === "Cancel" ? cancel(born.id) : archive(born.id)
    })
  },
  answers: (decides, state, command) => {
    const isArchived = state.archived_at !== null
    if (command._tag === "Expire") {
      // The sweep finds what there is to do: nothing is refused.
      const swept = decides(state, isArchived ? { ...command, _tag: "ExpireArchived" } : command)
      return Result.isFailure(swept) || state.status !== "ACTIVE" ? noChange(state) : swept
    }
    if (command._tag === "Archive" && isArchived) {
      return again(CheckoutLink.machine, "checkout_link.archived", state, command)
    }
    return command._tag === "Change" ? patchOutcome(isArchived, decides, state, command) : decides(state, command)
  },
  refusal: ({ _tag }, { archived_at }) => (archived_at === null ? _tag : "RecordArchived")
}))
