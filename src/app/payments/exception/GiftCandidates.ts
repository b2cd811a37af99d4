import { Effect, Option, Schema } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { CreditId } from "../../../domain/kernel/Ids.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import { accountKey, accountOf } from "../../../domain/payments/BankTransfer.ts"
import { candidatesFor, donorWordsIn } from "../../../domain/payments/GiftCandidate.ts"
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

  return Effect.fnUntraced(function* (organisation: Organisation, exceptions: ReadonlyArray<PaymentException>) {
    const all = yield* accounts.all(organisation)
    const lapsedSince = addTime(yield* organisationNow, { days: -Limits.giftCandidateLapsedDays })
    const candidatesOf = Effect.fnUntraced(function* (exception: PaymentException) {
      const credit = yield* creditOf(exception)
      if (Option.isNone(credit)) return []
      const { account, amount_cents, currency, integration_id, text } = credit.value
      const sharing = all.filter((each) => {
        const known = accountOf(each)
        return each.id === integration_id || (known !== null && accountKey(known) === account)
      })
      const gifts = yield* charges.awaitedGifts(organisation.id, {
        integrations: sharing.map(({ id }) => id),
        amount_cents,
        currency,
        references: referencesIn(text),
        words: donorWordsIn(text),
        lapsedSince,
        limit: 2 * Limits.giftCandidates
      })
      return candidatesFor(credit.value, gifts)
    })
    return yield* Effect.forEach(
      exceptions,
      (exception) => Effect.map(candidatesOf(exception), (candidates) => ({ ...exception, candidates })),
      { concurrency }
    )
  })
})
