import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import * as Charge from "../../../src/domain/payments/Charge.ts"
import { charges } from "../../../src/testing/subjects/Charges.ts"
import { forEveryWith } from "../../support/Property.ts"

it("a charge that has ended says what it can no more be, when it is told to succeed or to fail", () =>
  forEveryWith({ numRuns: 50 }, charges.states, charges.commands, (charge, command) => {
    fc.pre(command._tag === "Succeed" || command._tag === "Fail")
    const decided = decide(Charge.machine, charge, command)
    if (Result.isSuccess(decided)) return
    assert.match(decided.failure.message, command._tag === "Succeed" ? /\bsucceed\b/ : /\bfail\b/)
  }))
