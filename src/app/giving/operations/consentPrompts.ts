import { ConsentPromptRecord } from "../../../domain/giving/ConsentPrompt.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, ConsentPrompts, takes } from "../ConsentPrompts.ts"

const consentPrompts = operationsOf(ConsentPrompts)

/** The operations of {@link ConsentPrompts}. */
export const consentPromptOperations = {
  create: consentPrompts.forOperator({
    says: "Ask donors something more on the pages of forms and recommendation sets",
    asks: asks.create,
    takes: takes.create,
    gives: ConsentPromptRecord,
    run: (use, input) => use.create(input)
  }),
  read: consentPrompts.forOperator({
    says: "Show a consent prompt",
    asks: asks.read,
    takes: takes.read,
    gives: ConsentPromptRecord,
    run: (use, prompt) => use.read(prompt)
  }),
  list: consentPrompts.forOperator({
    says: "List consent prompts, newest first",
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(ConsentPromptRecord),
    run: (use, asked) => use.list(asked)
  }),
  update: consentPrompts.forOperator({
    says: "Change the wording or the place of a consent prompt; answers keep the wording that they were given to",
    asks: asks.update,
    takes: takes.update,
    gives: ConsentPromptRecord,
    run: (use, prompt, patch) => use.update(prompt, patch)
  }),
  archive: consentPrompts.forOperator({
    says: "Ask a consent prompt no more",
    asks: asks.archive,
    takes: takes.archive,
    gives: ConsentPromptRecord,
    run: (use, prompt) => use.archive(prompt)
  })
}
