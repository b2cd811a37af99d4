import type { Organisation } from "../access/Organisation.ts"
import { Limits } from "../kernel/Limits.ts"
import { type MailContent, onOneLine } from "../kernel/MailContent.ts"

/** The facts that the mail of a code tells. */
export interface CardCodeMail {
  readonly organisation: Pick<Organisation, "is_sandbox" | "name">
  /** The six digits. */
  readonly code: string
}

/**
 * The mail with the code that opens cards for a gift. docs/decisions/0085.
 * @example
 * const { subject } = CardCodeMail.cardCodeMail({ code: "012345", organisation: { name: "Sea\nRescue", is_sandbox: false } })
 * subject // => "Your code for giving to Sea Rescue"
 */
export const cardCodeMail = ({ code, organisation: { is_sandbox, name } }: CardCodeMail): MailContent => {
  const organisation = onOneLine(name)
  return {
    subject: `Your code for giving to ${organisation}`,
    parts: [
      `Enter this code on the page of ${organisation} that asked for it, to give by card.`,
      { kind: "facts", rows: [["Code", code]] },
      `It is good for ${Limits.emailCodeMinutes} minutes, and for this gift alone. Tell it to nobody.`,
      "If you did not ask for it, somebody typed your address. Nothing was taken from you, and you need do nothing.",
      ...(is_sandbox ? ["This is a test: no money is taken."] : [])
    ]
  }
}
