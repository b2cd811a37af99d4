import type { DateTime } from "effect"
import type { Organisation } from "../access/Organisation.ts"
import { type MailContent, momentText, onOneLine } from "../kernel/MailContent.ts"

/** The facts that the mail about closed cards tells. */
export interface CardsClosedMail {
  readonly organisation: Pick<Organisation, "is_sandbox" | "name" | "timezone">
  /** The form or the recommendation set whose page it is; null where it is all forms of the organisation. */
  readonly page: { readonly kind: "form" | "recommendation set"; readonly name: string } | null
  readonly closed_until: DateTime.Utc
}

/**
 * The mail to an organisation's admins when cards are closed on its pages. pages, section 2: Card testing; docs/decisions/0081.
 * @example
 * const { subject } = CardsClosedMail.cardsClosedMail({
 *   organisation: { name: "Sea\nRescue", timezone: "Australia/Sydney", is_sandbox: false },
 *   page: { kind: "form", name: "Winter appeal" },
 *   closed_until: at
 * })
 * subject // => "Cards are closed on the form Winter appeal of Sea Rescue"
 */
export const cardsClosedMail = ({ closed_until, organisation, page }: CardsClosedMail): MailContent => {
  const name = onOneLine(organisation.name)
  const where = page === null ? `all forms of ${name}` : `the ${page.kind} ${onOneLine(page.name)} of ${name}`
  const until = momentText(closed_until, organisation.timezone)
  return {
    language: "en-AU",
    subject: `Cards are closed on ${where}`,
    parts: [
      ...(organisation.is_sandbox ? ["This is a test of a sandbox: no money is taken."] : []),
      `So many more cards were declined than succeeded on ${where} that somebody seems to try out stolen ones. Cards are closed there until ${until}, and then taken again by itself: you need do nothing.`,
      "Meanwhile donors give there by the other methods of the page, or by card with a code that the page mails to them. Where cards are taken at Stripe, Apple Pay and Google Pay go on, too.",
      "Links that you send to your donors take cards all the while: personalised links and checkout links.",
      "You find it as cards_closed in the list of exceptions: almoner exception list."
    ]
  }
}
