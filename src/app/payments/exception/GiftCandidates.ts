import { Array as Arr, Effect, Option, Schema } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { nameKeysIn } from "../../../domain/giving/SearchWords.ts"
import { CreditId, type IntegrationId } from "../../../domain/kernel/Ids.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import { accountKey, accountOf } from "../../../domain/payments/BankTransfer.ts"
import type { Credit } from "../../../domain/payments/Credit.ts"
import { type AwaitedGift, candidatesFor, donorWordsIn } from "../../../domain/payments/GiftCandidate.ts"
import { type PaymentException, unresolvedRule } from "../../../domain/payments/PaymentException.ts"
import { referencesIn } from "../../../domain/payments/TransferReference.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import { makePaymentAccounts } from "../account/PaymentAccounts.ts"

const readCredit = Schema.decodeUnknownOption(CreditId)

/** Exceptions whose candidates are looked for side by side. */
const concurrency = 4

/** Offers the gifts that a payment may be for, where an open exception holds one that names none. */
export const makeGiftCandidates = Effect.gen(function* () {
  const accounts = yield* makePaymentAccounts
  const charges = yield* ChargeStore
  const credits = yield* CreditStore

  const creditOf = ({ kind, organisation_id, subject_id, ...exception }: PaymentException) => {
    const id = kind === "unmatched_credit" && holds(unresolvedRule, exception) ? readCredit(subject_id) : Option.none()
    return Option.isNone(id) ? Effect.succeedNone : credits.find(organisation_id, id.value)
  }

  const giftsFor = (organisation: Organisation, credit: Credit, integrations: ReadonlyArray<IntegrationId>) =>
    Effect.flatMap(organisationNow, (now) =>
      charges.awaitedGifts(organisation.id, {
        integrations,
        amount_cents: credit.amount_cents,
        currency: credit.currency,
        references: referencesIn(credit.text),
        words: donorWordsIn(credit.text),
        names: nameKeysIn(credit.text),
        lapsedSince: addTime(now, { days: -Limits.giftCandidateLapsedDays }),
        limit: 2 * Limits.giftCandidates
      })
    )

  return Effect.fnUntraced(function* (organisation: Organisation, exceptions: ReadonlyArray<PaymentException>) {
    const held = yield* Effect.forEach(exceptions, creditOf, { concurrency })
    const isAny = held.some(Option.isSome)
    const all = isAny ? yield* accounts.all(organisation) : []
    const partPaid = isAny ? yield* charges.partPaidGifts(organisation.id, Limits.giftCandidatesPartPaid) : []
    const candidatesOf = Effect.fnUntraced(function* (credit: Credit) {
      const sharing = all.filter((each) => {
        const known = accountOf(each)
        return each.id === credit.integration_id || (known !== null && accountKey(known) === credit.account)
      })
      const integrations = sharing.map(({ id }) => id)
      const isThere = ({ currency, integration_id }: AwaitedGift) =>
        currency === credit.currency && integrations.includes(integration_id)
      const found = [...(yield* giftsFor(organisation, credit, integrations)), ...partPaid.filter(isThere)]
      return candidatesFor(
        credit,
        Arr.dedupeWith(found, (one, other) => one.charge_id === other.charge_id)
      )
    })
    return yield* Effect.forEach(
      Arr.zip(exceptions, held),
      ([exception, credit]) =>
        Effect.map(Option.isNone(credit) ? Effect.succeed([]) : candidatesOf(credit.value), (candidates) => ({
          ...exception,
          candidates
        })),
      { concurrency }
    )
  })
})
