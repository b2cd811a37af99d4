import { IntroductionRecord } from "../../../domain/sharing/Introduction.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, Introductions, takes } from "../Introductions.ts"

const introductions = operationsOf(Introductions)
/** The operations of {@link Introductions}. */
export const introductionOperations = {
  send: introductions.forCaller({
    asks: asks.send,
    keyed: true,
    secret: true,
    takes: takes.send,
    gives: IntroductionRecord,
    run: (use, input) => use.send(input)
  }),
  read: introductions.forCaller({
    asks: asks.read,
    takes: takes.read,
    gives: IntroductionRecord,
    run: (use, introduction) => use.read(introduction)
  }),
  list: introductions.forCaller({
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(IntroductionRecord),
    run: (use, asked) => use.list(asked)
  }),
  resendEmail: introductions.forCaller({
    asks: asks.resendEmail,
    keyed: true,
    secret: true,
    takes: takes.resendEmail,
    gives: IntroductionRecord,
    run: (use, introduction) => use.resendEmail(introduction)
  }),
  revoke: introductions.forCaller({
    asks: asks.revoke,
    keyed: false,
    takes: takes.revoke,
    gives: IntroductionRecord,
    run: (use, introduction) => use.revoke(introduction)
  })
}
