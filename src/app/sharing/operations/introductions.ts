import { IntroductionId } from "../../../domain/kernel/Ids.ts"
import { IntroductionRecord, listing, NewIntroduction } from "../../../domain/sharing/Introduction.ts"
import { body, id, operationsOf, pageOf, query } from "../../access/steps/Operation.ts"
import { asks, Introductions } from "../Introductions.ts"

const introductions = operationsOf(Introductions)
const introductionId = id(IntroductionId, "introduction")

/** The operations of {@link Introductions}. */
export const introductionOperations = {
  send: introductions.forCaller({
    asks: asks.send,
    keyed: true,
    takes: [body(NewIntroduction, IntroductionRecord)],
    gives: IntroductionRecord,
    run: (use, input) => use.send(input)
  }),
  read: introductions.forCaller({
    asks: asks.read,
    takes: [introductionId],
    gives: IntroductionRecord,
    run: (use, introduction) => use.read(introduction)
  }),
  list: introductions.forCaller({
    asks: asks.list,
    takes: [query(listing)],
    gives: pageOf(IntroductionRecord),
    run: (use, asked) => use.list(asked)
  }),
  resendEmail: introductions.forCaller({
    asks: asks.resendEmail,
    keyed: true,
    takes: [introductionId],
    gives: IntroductionRecord,
    run: (use, introduction) => use.resendEmail(introduction)
  }),
  revoke: introductions.forCaller({
    asks: asks.revoke,
    keyed: false,
    takes: [introductionId],
    gives: IntroductionRecord,
    run: (use, introduction) => use.revoke(introduction)
  })
}
