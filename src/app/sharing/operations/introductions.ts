import { IntroductionId } from "../../../domain/kernel/Ids.ts"
import { IntroductionRecord, listing, NewIntroduction } from "../../../domain/sharing/Introduction.ts"
import { body, id, operationsOf, pageOf, query } from "../../access/steps/Operation.ts"
import { Introductions } from "../Introductions.ts"

const introductions = operationsOf(Introductions)
const introductionId = id(IntroductionId, "introduction")

/** The operations of {@link Introductions}. */
export const introductionOperations = {
  send: introductions.forCaller({
    name: "introductions.send",
    takes: [body(NewIntroduction, IntroductionRecord)],
    gives: IntroductionRecord,
    run: (use, input) => use.send(input)
  }),
  read: introductions.forCaller({
    name: "introductions.read",
    takes: [introductionId],
    gives: IntroductionRecord,
    run: (use, introduction) => use.read(introduction)
  }),
  list: introductions.forCaller({
    name: "introductions.list",
    takes: [query(listing)],
    gives: pageOf(IntroductionRecord),
    run: (use, asked) => use.list(asked)
  }),
  resendEmail: introductions.forCaller({
    name: "introductions.resend_email",
    takes: [introductionId],
    gives: IntroductionRecord,
    run: (use, introduction) => use.resendEmail(introduction)
  }),
  revoke: introductions.forCaller({
    name: "introductions.revoke",
    takes: [introductionId],
    gives: IntroductionRecord,
    run: (use, introduction) => use.revoke(introduction)
  })
}
