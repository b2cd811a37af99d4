import { assert } from "@effect/vitest"
import { type DateTime, Effect, Exit, Result } from "effect"
import { Charges } from "../../src/app/payments/Charges.ts"
import type { Move } from "../../src/app/payments/charge/TestChargeMove.ts"
import { Settler } from "../../src/app/payments/Settler.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import type { Charge } from "../../src/domain/payments/Charge.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import type { TestCharge } from "../../src/domain/payments/TestCharge.ts"
import { testRules } from "../../src/domain/payments/TestRules.ts"
import type { Answer } from "../support/Answer.ts"
import { pageId } from "../support/GivingSandbox.ts"
import { asOperator } from "../support/Tenant.ts"
import { type Action, type Picks, pick, pickNew, type World } from "./Action.ts"
import { commonActions, movingIn, partOf, payingRules } from "./CommonActions.ts"
import { cutOff } from "./Interruption.ts"
import { moreActions } from "./moreActions.ts"
import { comparisonActions, reconcile } from "./Reconciliation.ts"

// What happens in the random histories of gifts. An action is a few lines: what it needs, and what it does.

const minute = 60_000
const hour = 60 * minute

const emails = ["ada@example.org", "grace@example.org", "kim@example.org"]

const submissionOf = ({ forms, giving }: World, { one, two }: Picks) => {
  const rule = one % 2 === 0 ? pick(payingRules, one) : pick(testRules, one)
  const given = {
    slug: pick(forms, two).slug,
    method: rule.method,
    payment_token: rule.token,
    amount_cents: 2_500 + 100 * (two % 80),
    donor: { email: pick(emails, two), first_name: "Ada", last_name: "Lovelace" },
    submission_id: pageId()
  }
  return giving.submission(given)
}

type Submission = ReturnType<typeof submissionOf>

const submitting = (submission: Submission) => Checkouts.use((all) => all.submit(submission))

/** Submits; the form may have been closed, and the account may take no charges. */
const submit = async (world: World, submission: Submission): Promise<string> => {
  const answer = await world.service.run(Effect.result(submitting(submission)))
  if (Result.isFailure(answer)) {
    const { failure } = answer
    const isOpen = world.forms.some(({ slug, status }) => slug === submission.slug && status === "ACTIVE")
    assert.isTrue(failure._tag === "TakesNoPayment" && (!isOpen || world.wasDisabled), String(failure))
    return "refused"
  }
  world.gifts.push({ submission, answer: answer.success })
  return `${submission.method} ${submission.payment_token} of ${submission.amount_cents}: ${answer.success.status}`
}

const settleDue = Settler.use((settler) => settler.settleDue)

const hasGifts = ({ gifts }: World) => gifts.length > 0

const chargesOf = ({ giving }: World) => giving.charges()

/** Does something with one of the charges, and says with which. */
const withCharge = async (world: World, { one }: Picks, use: (charge: Charge) => Promise<string>): Promise<string> => {
  const charges = await chargesOf(world)
  if (charges.length === 0) return "nothing"
  const charge = pickNew(charges, one)
  return `${charge.id.slice(-6)}: ${await use(charge)}`
}

/** Charges, from the picked one on, and after the oldest the newest. */
const fromPicked = (charges: ReadonlyArray<Charge>, by: number): ReadonlyArray<Charge> => {
  if (charges.length === 0) return []
  const first = charges.indexOf(pickNew(charges, by))
  return [...charges.slice(first), ...charges.slice(0, first)]
}

const place = {
  givingOf: ({ giving }: World) => giving,
  chargesOf: async (world: World, { one }: Picks) => fromPicked(await chargesOf(world), one)
}

const moving = movingIn(place)

const refundThere =
  ({ two }: Picks): Move =>
  (charge, now) => {
    const amount_cents = partOf(Bank.leftCents(charge), two)
    return Result.map(
      Bank.refund(charge, { refund_id: null, idempotency_key: null, amount_cents }, now),
      (done) => done.charge
    )
  }

/** The money of a charge that was cancelled comes all the same. */
const cameLate = ({ amount_cents, id }: TestCharge, at: DateTime.Utc) =>
  ({ reference: `${id}_late`, kind: "charge", amount_cents, fee_cents: 0, at }) as const

const comesLate: Move = (charge, now) =>
  charge.status === "cancelled"
    ? Result.succeed({
        ...charge,
        status: "succeeded",
        movements: [...charge.movements, cameLate(charge, now)],
        // The bank finds what it states of a day by what has changed since.
        updated_at: now
      })
    : Result.fail({ code: "wrong_status", message: "Only what was cancelled comes late." })

const atBank: ReadonlyArray<Action> = [
  moving("the donor refuses", () => Bank.decline),
  moving("the processor refunds", refundThere, 2),
  moving("the money comes late", () => comesLate, 3)
]

/** Answers that a refund may get: it is done, there is not so much left, or its gift gives nothing back now. */
const assertRefunded = ({ status, text }: Answer): string => {
  assert.include([200, 400, 409], status, text)
  return `${status}`
}

const refund: Action = {
  name: "staff refund",
  weight: 4,
  can: hasGifts,
  perform: async (world, { one, two }) => {
    const { writer } = world.giving.tenant
    // What was transferred is given back by hand, at the bank.
    const charges = (await chargesOf(world)).filter(({ method }) => method !== "bank_transfer")
    const paid = charges.filter(({ status }) => status === "SUCCEEDED")
    // Now and then of one that was not paid.
    const [charge] = fromPicked(paid.length === 0 || two % 7 === 0 ? charges : paid, one)
    if (charge === undefined) return "nothing"
    const body = two % 2 === 0 ? {} : { amount_cents: partOf(charge.amount_cents, two) }
    const key = { "idempotency-key": pageId() }
    const ask = () => writer.post(`/donations/${charge.subject_id}/refund`, body, key)
    const first = await ask()
    // The answer may be lost, and the request made again: one refund.
    if (two % 5 === 0) assert.strictEqual((await ask()).text, first.text)
    return `${charge.id.slice(-6)}: ${assertRefunded(first)}`
  }
}

const workers: ReadonlyArray<Action> = [
  {
    name: "the worker works",
    weight: 6,
    perform: async ({ service }) => `${await service.run(settleDue)} looked at`
  },
  {
    name: "two workers work at once",
    weight: 2,
    perform: async ({ service }) => `${await Promise.all([service.run(settleDue), service.run(settleDue)])} looked at`
  },
  {
    name: "the worker is cut off",
    weight: 3,
    perform: async (world, { one }) => {
      const { isCut } = await cutOff(world, "work", settleDue, one % 80)
      return isCut ? `at the point ${one % 80}` : "not"
    }
  },
  {
    name: "staff look",
    can: hasGifts,
    perform: (world, picks) =>
      withCharge(world, picks, async ({ id }) => {
        const looked = Charges.use((all) => all.look(id)).pipe(asOperator(world.giving.tenant.organisation))
        return (await world.service.run(looked)).status
      })
  },
  {
    name: "accounts are looked at",
    perform: async ({ service }) => {
      await service.run(Settler.use((settler) => settler.checkAccounts))
      return "done"
    }
  }
]

const donors: ReadonlyArray<Action> = [
  { name: "a donor gives", weight: 10, perform: (world, picks) => submit(world, submissionOf(world, picks)) },
  {
    name: "a donor clicks twice",
    weight: 2,
    perform: async (world, picks) => {
      const submission = submissionOf(world, picks)
      const [first, second] = await Promise.all(
        [1, 2].map(() => world.service.run(Effect.result(submitting(submission))))
      )
      if (first === undefined || second === undefined || Result.isFailure(first) || Result.isFailure(second)) {
        assert.isTrue(
          first !== undefined && second !== undefined && Result.isFailure(first) && Result.isFailure(second)
        )
        return "refused"
      }
      assert.strictEqual(first.success.donation_id, second.success.donation_id)
      world.gifts.push({ submission, answer: first.success })
      return `${submission.payment_token}: ${first.success.status}`
    }
  },
  {
    name: "a donor sends again",
    can: hasGifts,
    perform: async (world, { one }) => {
      const { answer, submission } = pick(world.gifts, one)
      const again = await world.service.run(Effect.result(submitting(submission)))
      if (answer === null) return "after it was cut off"
      assert.isTrue(Result.isSuccess(again) && again.success.donation_id === answer.donation_id)
      return "the same gift"
    }
  },
  {
    name: "a submission is cut off",
    weight: 3,
    perform: async (world, picks) => {
      const submission = submissionOf(world, picks)
      const after = picks.one % 70
      const { exit, isCut } = await cutOff(world, "submit", submitting(submission), after)
      if (isCut || Exit.isSuccess(exit)) world.gifts.push({ submission, answer: null })
      return isCut ? `at the point ${after}, of ${submission.payment_token}` : "not"
    }
  }
]

const reaches = ["REACHED", "LOST", "ANSWER_LOST"] as const

const surroundings: ReadonlyArray<Action> = [
  {
    name: "time passes",
    weight: 6,
    perform: async ({ service }, { one }) => {
      const millis = pick([10_000, 2 * minute, 4 * minute, 20 * minute, 7 * hour, 25 * hour, 6 * 24 * hour], one)
      service.clock.advance(millis)
      return `${millis / minute} min`
    }
  },
  {
    name: "the processor is reached, or not",
    weight: 2,
    perform: async (world, { one }) => {
      const reach = pick(reaches, one)
      await world.giving.setAccount({ reach })
      return reach
    }
  },
  {
    name: "the account takes charges, or not",
    perform: async (world, { one }) => {
      const charges_enabled = one % 2 === 0
      world.wasDisabled ||= !charges_enabled
      await world.giving.setAccount({ charges_enabled })
      return `${charges_enabled}`
    }
  },
  {
    name: "a form moves",
    perform: async ({ forms, giving }, { one, two }) => {
      const form = pick(forms, one)
      if (form.status === "ARCHIVED") return "it is archived"
      const next = two % 5 === 0 ? "ARCHIVED" : form.status === "ACTIVE" ? "PAUSED" : "ACTIVE"
      const answer =
        next === "ARCHIVED"
          ? await giving.tenant.writer.delete(`/forms/${form.id}`)
          : await giving.tenant.writer.patch(`/forms/${form.id}`, { status: next })
      assert.strictEqual(answer.status, 200, answer.text)
      form.status = next
      return next
    }
  }
]

/** Everything that happens in a history. What a part of the program adds is a line here. */
export const actions: ReadonlyArray<Action> = [
  ...donors,
  ...atBank,
  ...commonActions(place),
  refund,
  ...workers,
  ...surroundings,
  ...moreActions,
  ...comparisonActions
]

/** Lets the last look happen: everything is reached, and everybody has waited long enough. */
export const lastLook = async (world: World): Promise<void> => {
  const { giving, service } = world
  await world.giving.setAccount({})
  for (const hours of [0, 0.1, 1, 25, 24 * 6, 1]) {
    service.clock.advance(hours * hour)
    await giving.settle()
  }
  const look = (charge: Charge) => giving.tenant.staff(Charges.use((all) => all.look(charge.id)))
  for (const charge of await giving.charges()) await look(charge)
  await giving.settle()
  for (const charge of await giving.charges()) await look(charge)
}

/** The same, and everything is compared with the bank once the day has ended. */
export const lastComparison = async (world: World): Promise<void> => {
  await lastLook(world)
  world.service.clock.advance(25 * hour)
  await reconcile(world.service)
}
