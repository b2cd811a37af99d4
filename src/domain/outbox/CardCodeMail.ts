import type { Organisation } from "../access/Organisation.ts"
import type { Language } from "../kernel/Language.ts"
import type { MailContent } from "../kernel/MailContent.ts"
import { wordsIn } from "./MailWords.ts"

/** The facts that the mail of a code tells. */
export interface CardCodeMail {
  readonly language: Language
  readonly organisation: Pick<Organisation, "is_sandbox" | "name">
  /** The six digits. */
  readonly code: string
}

/**
 * The mail with the code that opens cards for a gift. docs/decisions/0085.
 * @example
 * const { subject } = CardCodeMail.cardCodeMail({
 *   language: "en-AU",
 *   code: "012345",
 *   organisation: { name: "Sea\nRescue", is_sandbox: false }
 * })
 * subject // => "Your code for giving to Sea Rescue"
 */
export const cardCodeMail = ({ code, language, organisation }: CardCodeMail): MailContent => {
  const { name, texts } = wordsIn(language)
  const to = name(organisation.name)
  return {
    language,
    subject: texts.code.subject(to),
    parts: [
      texts.code.enter(to),
      { kind: "facts", rows: [[texts.code.code, code]] },
      texts.code.isGoodFor,
      texts.code.notAsked,
      ...(organisation.is_sandbox ? [texts.gift.noMoneyMoves] : [])
    ]
  }
}
