import type { Letter } from "../../ports/outbox/MailTransport.ts"

/** The domain of a sender's address; `localhost` where it has none. */
const domainOf = (from: string): string => /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? "localhost"

/**
 * A letter as nodemailer takes it. The Message-ID is the same for every attempt, and answering machines are asked to be
 * silent.
 */
export const messageOf = (letter: Letter, from: string) => ({
  from,
  to: { name: "", address: letter.to },
  subject: letter.subject,
  text: letter.text,
  html: letter.html,
  messageId: `<${letter.id}@${domainOf(from)}>`,
  headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
  disableFileAccess: true,
  disableUrlAccess: true
})
