import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option, Result } from "effect"
import fc from "fast-check"
import { ChargeId, OrganisationId } from "../../../src/domain/kernel/Ids.ts"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import * as CardGuard from "../../../src/domain/payments/CardGuard.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"
import { cases } from "../../support/Rounds.ts"

const organisation_id = OrganisationId.make(`org_0${"1".repeat(25)}`)
const start = Date.UTC(2027, 0, 1)
const hour = 3_600_000

/** What an attacker comes to by a code of his own mailboxes, or by wallets, when the forms are closed. */
const codes = -1
const wallets = -2

/** Forms of one organisation, and those who come by a code or a wallet, as their guards let cards through to the processor. */
const makeForms = (forms: number) => {
  const whole = { subject: "org", credit: Limits.cardCreditOrganisation }
  const guarded = Array.from({ length: forms }, (_, index) => ({ subject: `form ${index}`, credit: Limits.cardCredit }))
  const guards = new Map<string, CardGuard.CardGuard>()
  const now = (millis: number) => DateTime.makeUnsafe(start + millis)
  const ofCodes = { subject: "codes", credit: Limits.cardCreditCodes, hours: Limits.cardCodesHours }
  const ofWallets = { ...ofCodes, subject: "wallets", credit: Limits.cardCreditWallets }
  const guardedBy = (form: number) => {
    if (form === wallets) return [ofWallets]
    return form === codes ? [ofCodes] : [guarded[form] ?? whole, whole]
  }
  const heldAt = (form: number, millis: number) =>
    guardedBy(form).map((each) => {
      return { each, guard: guards.get(each.subject) ?? CardGuard.newGuard(organisation_id, each, now(millis)) }
    })
  const ended = new Map<string, CardGuard.Outcome>()
  const begin = (form: number, millis: number): boolean => {
    const begun = heldAt(form, millis).map(({ each, guard }) => {
      const found = CardGuard.follow(guard, each, (id) => ended.get(id) ?? "WAITING", now(millis))
      guards.set(each.subject, found)
      return CardGuard.begin(found, each, now(millis))
    })
    const after = Result.all(begun)
    if (Result.isFailure(after)) return false
    for (const guard of after.success) guards.set(guard.subject, guard)
    return true
  }
  let tries = 0
  /** What a try came to, or that it waits: then what becomes of it is said by `approve`. */
  const end = (form: number, millis: number, outcome: CardGuard.Outcome) => {
    tries += 1
    const charge_id = ChargeId.make(`chg_${String(tries).padStart(26, "0")}`)
    for (const { each, guard } of heldAt(form, millis)) {
      guards.set(
        each.subject,
        CardGuard.settle(guard, each, { begun_at: now(millis), charge_id, outcome }, now(millis))
      )
    }
    return charge_id
  }
  const approve = (charge_id: string, outcome: "DECLINED" | "SUCCEEDED") => ended.set(charge_id, outcome)
  const isClosed = (form: number, millis: number) =>
    heldAt(form, millis).some(({ guard }) => CardGuard.isClosed(guard, now(millis)))
  return { approve, begin, end, isClosed }
}

/** Even draws from 0 to 1: those of a generator of properties lean to small numbers. */
const drawing = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

describe("the guard of cards", () => {
  it("lets at most 100 of 10,000 tries of stolen cards through to the processor, at whatever pace they come within a day", () => {
    const attack = {
      forms: fc.integer({ min: 1, max: 12 }),
      atOnce: fc.constantFrom(1, 2, 10, 50, 200),
      hours: fc.constantFrom(0.01, 1, 6, 24),
      // A part of stolen cards is good, and a part has its holder asked, who approves none of those.
      share: fc.constantFrom(0, 5, 10),
      asked: fc.constantFrom(0, 30, 100),
      readsMails: fc.boolean(),
      hasWallets: fc.boolean(),
      seed: fc.integer()
    }
    forEveryWith(
      { numRuns: cases(15) },
      fc.record(attack),
      ({ asked: asking, readsMails, hasWallets, atOnce, forms, hours, seed, share }) => {
        const draw = drawing(seed)
        const pages = makeForms(forms)
        let asked = 0
        for (let tried = 0; tried < 10_000; tried += atOnce) {
          const millis = (tried / 10_000) * hours * hour
          const begun = Array.from({ length: atOnce }, (_, index) => (tried + index) % forms).flatMap((form) => {
            if (pages.begin(form, millis)) return [form]
            if (!pages.isClosed(form, millis)) return []
            if (readsMails && pages.begin(codes, millis)) return [codes]
            return hasWallets && pages.begin(wallets, millis) ? [wallets] : []
          })
          asked += begun.length
          for (const form of begun) {
            const outcome = draw() * 100 < share ? "SUCCEEDED" : "DECLINED"
            pages.end(form, millis, draw() * 100 < asking ? "WAITING" : outcome)
          }
        }
        assert.isAtMost(asked, 100)
      }
    )
  })

  it("has a place soon while processors are asked, and none where all wait for their donors", () => {
    const form = { subject: "form", credit: Limits.cardCredit }
    const now = DateTime.makeUnsafe(start)
    let guard = CardGuard.newGuard(organisation_id, form, now)
    const places = Limits.cardCredit + Limits.cardsBeyondCredit
    const next = () => Result.getFailure(CardGuard.begin(guard, form, now))
    for (let place = 0; place < places; place++) guard = Result.getOrThrow(CardGuard.begin(guard, form, now))
    for (let place = 1; place <= places; place++) {
      assert.deepStrictEqual(next(), Option.some("BUSY"))
      const charge_id = ChargeId.make(`chg_${String(place).padStart(26, "0")}`)
      guard = CardGuard.settle(guard, form, { begun_at: now, charge_id, outcome: "WAITING" }, now)
    }
    assert.deepStrictEqual(next(), Option.some("CROWDED"))
  })

  it("closes anew, and says so, where all was well between one closing and the next", () => {
    const form = { subject: "form", credit: Limits.cardCredit }
    const at = (minutes: number) => DateTime.makeUnsafe(start + minutes * 60_000)
    // The credit is whole again just before these many tries are given up, of which nobody approved one.
    const waiting = Array.from({ length: form.credit }, (_, index) => ({
      charge_id: ChargeId.make(`chg_${String(index).padStart(26, "0")}`),
      since: at(Limits.cardCreditMinutes - 1)
    }))
    const credit = form.credit - 1
    const before = { ...CardGuard.newGuard(organisation_id, form, at(0)), credit, closings: 1, waiting }
    const late = at(Limits.cardCreditMinutes + Limits.cardApprovalMinutes)
    const after = CardGuard.follow(before, form, () => "WAITING", late)
    assert.isTrue(CardGuard.isClosed(after, late))
    assert.isTrue(CardGuard.hasClosed(before, after))
    assert.isFalse(
      CardGuard.hasClosed(
        after,
        CardGuard.follow(after, form, () => "WAITING", late)
      )
    )
  })

  it("never closes a form of which up to a fifth is declined, however many give at once", () => {
    const gifts = {
      share: fc.integer({ min: 5, max: 20 }),
      atOnce: fc.constantFrom(1, 5, 20),
      minutes: fc.constantFrom(0.01, 1, 60),
      seed: fc.integer()
    }
    forEveryWith({ numRuns: cases(30) }, fc.record(gifts), ({ atOnce, minutes, seed, share }) => {
      const draw = drawing(seed)
      const pages = makeForms(1)
      for (let given = 0; given < 2_500; given += atOnce) {
        const millis = given * minutes * 60_000
        for (let each = 0; each < atOnce; each++) assert.isTrue(pages.begin(0, millis))
        for (let each = 0; each < atOnce; each++) {
          pages.end(0, millis, draw() * 100 < share ? "DECLINED" : "SUCCEEDED")
        }
      }
    })
  })

  it("never closes a form whose donors' banks ask them for approval, where up to a fifth is declined, or never approved", () => {
    const gifts = {
      share: fc.integer({ min: 5, max: 20 }),
      atOnce: fc.constantFrom(1, 5, 20),
      minutes: fc.constantFrom(0.5, 1, 60),
      seed: fc.integer()
    }
    forEveryWith({ numRuns: cases(30) }, fc.record(gifts), ({ atOnce, minutes, seed, share }) => {
      const draw = drawing(seed)
      const pages = makeForms(1)
      for (let given = 0; given < 1_000; given += atOnce) {
        const millis = given * minutes * 60_000
        for (let each = 0; each < atOnce; each++) assert.isTrue(pages.begin(0, millis))
        const waiting = Array.from({ length: atOnce }, () => pages.end(0, millis, "WAITING"))
        for (const charge_id of waiting) {
          if (draw() * 100 >= share) pages.approve(charge_id, "SUCCEEDED")
          else if (draw() < 0.5) pages.approve(charge_id, "DECLINED")
        }
      }
    })
  })

  it("counts a card that its holder does not approve as declined minutes later, once, and one that is approved as a success", () => {
    const minute = 60_000
    const pages = makeForms(1)
    const wait = (millis: number) => {
      const waiting: Array<string> = []
      while (pages.begin(0, millis)) waiting.push(pages.end(0, millis, "WAITING"))
      return waiting
    }
    // As many as could be declined and some may wait; the next has to wait for one of them.
    const first = wait(0)
    assert.lengthOf(first, Limits.cardCredit + Limits.cardsBeyondCredit)
    for (const charge_id of first) pages.approve(charge_id, "SUCCEEDED")
    const second = wait(minute)
    assert.lengthOf(second, Limits.cardCredit + Limits.cardsBeyondCredit)
    assert.isFalse(pages.begin(0, (1 + Limits.cardApprovalMinutes) * minute - 1))
    assert.isFalse(pages.isClosed(0, (1 + Limits.cardApprovalMinutes) * minute - 1))
    assert.isFalse(pages.begin(0, (1 + Limits.cardApprovalMinutes) * minute))
    assert.isTrue(pages.isClosed(0, (1 + Limits.cardApprovalMinutes) * minute))
    // Closed since it was declined, not since somebody came by: it is over when it would have been.
    const opens = (1 + Limits.cardApprovalMinutes) * minute + (Limits.cardClosingHours[0] ?? 0) * hour
    assert.isTrue(pages.isClosed(0, opens - 1))
    assert.isTrue(pages.begin(0, opens))
  })

  it("does not close a form late for cards that were not approved long ago", () => {
    const pages = makeForms(1)
    while (pages.begin(0, 0)) pages.end(0, 0, "WAITING")
    assert.isTrue(pages.begin(0, 20 * hour))
    assert.isFalse(pages.isClosed(0, 20 * hour))
  })

  it("closes a form for hours, then takes some cards, and closes for longer where they are declined, too", () => {
    const pages = makeForms(1)
    const decline = (millis: number): number => {
      let declined = 0
      while (pages.begin(0, millis)) {
        pages.end(0, millis, "DECLINED")
        declined += 1
      }
      return declined
    }
    assert.strictEqual(decline(0), Limits.cardCredit)
    let millis = 0
    for (const hours of Limits.cardClosingHours) {
      assert.isTrue(pages.isClosed(0, millis + hours * hour - 1))
      assert.isFalse(pages.begin(0, millis + hours * hour - 1))
      millis += hours * hour
      assert.isFalse(pages.isClosed(0, millis))
      assert.strictEqual(decline(millis), Limits.cardCreditAgain)
    }
    // All is forgotten when nothing was declined for as long as the whole credit takes to grow.
    millis += 24 * hour + Limits.cardCredit * Limits.cardCreditMinutes * 60_000
    assert.strictEqual(decline(millis), Limits.cardCredit)
    assert.isFalse(pages.isClosed(0, millis + (Limits.cardClosingHours[0] ?? 0) * hour))
  })

  it("holds nothing against a form for cards whose outcome is not known, or was lost with a process", () => {
    forEvery(fc.nat(60), fc.nat(60), (waiting, lost) => {
      const pages = makeForms(1)
      for (let each = 0; each < waiting; each++) {
        assert.isTrue(pages.begin(0, 0))
        pages.end(0, 0, "UNKNOWN")
      }
      let begun = 0
      for (let each = 0; each < lost; each++) begun += pages.begin(0, 0) ? 1 : 0
      assert.strictEqual(begun, Math.min(lost, Limits.cardCredit + Limits.cardsBeyondCredit))
      assert.isFalse(pages.isClosed(0, 0))
      assert.isTrue(pages.begin(0, Limits.cardFlightMinutes * 60_000 + 1))
    })
  })
})

describe("the credit of a guard", () => {
  const at = (millis: number) => DateTime.makeUnsafe(start + millis)
  const credits = fc.constantFrom(2, 3, 5, 12)
  const settle = (
    guard: CardGuard.CardGuard,
    each: CardGuard.GuardSubject,
    outcomes: ReadonlyArray<CardGuard.Outcome>
  ) => {
    const { begun_at } = guard
    return outcomes.reduce(
      (found, outcome) => CardGuard.settle(found, each, { begun_at, charge_id: null, outcome }, begun_at),
      guard
    )
  }
  const begin = (guard: CardGuard.CardGuard, each: CardGuard.GuardSubject, now: DateTime.Utc) =>
    Result.getOrThrow(CardGuard.begin(guard, each, now))

  it("grows by one in its part of the hours, from the decline that lessened it, however often cards are tried meanwhile", () =>
    forEvery(
      credits,
      fc.constantFrom(undefined, 1, 24),
      fc.nat(1_000_000),
      fc.integer({ min: 1, max: 11 }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
      fc.nat(4),
      (credit, hours, idle, declined, looks, grown) => {
        const each = { subject: "form", credit, ...(hours === undefined ? {} : { hours }) }
        const regain = hours === undefined ? Limits.cardCreditMinutes * 60_000 : (hours * hour) / credit
        const fresh = { ...CardGuard.newGuard(organisation_id, each, at(0)), begun_at: at(idle) }
        const declines = Math.min(declined, credit - 1)
        let guard = settle(
          fresh,
          each,
          Array.from({ length: declines }, () => "DECLINED" as const)
        )
        for (const look of looks.toSorted()) guard = begin(guard, each, at(idle + Math.floor(look * grown * regain)))
        const creditAfter = (millis: number) => begin({ ...guard, under_way: [] }, each, at(idle + millis)).credit
        assert.strictEqual(creditAfter(grown * regain), Math.min(credit, credit - declines + grown))
        assert.strictEqual(creditAfter((grown + 1) * regain - 1), Math.min(credit, credit - declines + grown))
      }
    ))

  it("is given back by as many successes as there were declines, and never beyond the whole", () =>
    forEvery(credits, fc.nat(11), fc.nat(15), (credit, declined, succeeded) => {
      const each = { subject: "form", credit }
      const outcomes = [
        ...Array.from({ length: Math.min(declined, credit - 1) }, () => "DECLINED" as const),
        ...Array.from({ length: succeeded }, () => "SUCCEEDED" as const)
      ]
      const guard = settle(CardGuard.newGuard(organisation_id, each, at(0)), each, outcomes)
      assert.strictEqual(guard.credit, Math.min(credit, credit - Math.min(declined, credit - 1) + succeeded))
    }))

  it("counts the cards under way, each until its outcome", () => {
    const each = { subject: "form", credit: 20 }
    forEvery(fc.integer({ min: 1, max: 9 }), fc.nat(9), (begun, ended) => {
      let guard = CardGuard.newGuard(organisation_id, each, at(0))
      for (let count = 0; count < begun; count += 1) guard = begin(guard, each, at(0))
      const settled = settle(
        guard,
        each,
        Array.from({ length: ended }, () => "UNKNOWN" as const)
      )
      assert.lengthOf(settled.under_way, Math.max(0, begun - ended))
    })
  })

  it("has the place of a card back minutes after it was lost with its process, however often others are tried", () => {
    const each = { subject: "form", credit: 20 }
    const flight = Limits.cardFlightMinutes * 60_000
    forEvery(fc.integer({ min: 1, max: 9 }), fc.array(fc.nat(flight)), (lost, tries) => {
      let guard = CardGuard.newGuard(organisation_id, each, at(0))
      for (let count = 0; count < lost; count += 1) guard = begin(guard, each, at(0))
      for (const millis of tries.toSorted((a, b) => a - b)) {
        const tried = { begun_at: at(millis), charge_id: null, outcome: "UNKNOWN" } as const
        guard = CardGuard.settle(begin(guard, each, at(millis)), each, tried, at(millis))
      }
      assert.lengthOf(begin(guard, each, at(flight)).under_way, lost + 1)
      assert.lengthOf(begin(guard, each, at(flight + 1)).under_way, 1)
    })
  })

  it("has no place given back by the outcome of a card that had lost its own", () => {
    const each = { subject: "form", credit: 20 }
    const late = at(Limits.cardFlightMinutes * 60_000 + 1)
    const guard = begin(begin(CardGuard.newGuard(organisation_id, each, at(0)), each, at(0)), each, late)
    const settled = CardGuard.settle(guard, each, { begun_at: at(0), charge_id: null, outcome: "UNKNOWN" }, late)
    assert.deepStrictEqual(settled.under_way, [late])
  })

  it("has no try wait of which no charge was made, nor one whose page was closed meanwhile", () => {
    const each = { subject: "form", credit: 1 }
    const open = CardGuard.newGuard(organisation_id, each, at(0))
    const closed = settle(open, each, ["DECLINED"])
    const charge_id = ChargeId.make(`chg_${"1".repeat(26)}`)
    const waitingOf = (guard: CardGuard.CardGuard, id: ChargeId | null) =>
      CardGuard.settle(guard, each, { begun_at: at(0), charge_id: id, outcome: "WAITING" }, at(1)).waiting.map(
        (tried) => tried.charge_id
      )
    assert.deepStrictEqual(waitingOf(open, charge_id), [charge_id])
    assert.deepStrictEqual([waitingOf(open, null), waitingOf(closed, charge_id), waitingOf(closed, null)], [[], [], []])
  })

  it("is passed over for the wallets of a device alone", () => {
    const opening = ["apple_pay", "google_pay", "link", "samsung_pay", "", null].filter(CardGuard.isOpenedBy)
    assert.deepStrictEqual(opening, ["apple_pay", "google_pay"])
  })
})
