import type { MailMessage } from "../../ports/outbox/MailTransport.ts"
import { mailHtml } from "./MailDocument.tsx"

/** The domain of a sender's address; `localhost` where it has none. */
const domainOf = (from: string): string => /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? "localhost"

/** A mail as nodemailer takes it: every attempt has the same Message-ID, and answering machines are to be silent. */
export const messageOf = (mail: MailMessage, from: string) => ({
  from,
  to: { name: "", address: mail.to },
  subject: mail.subject,
  text: mail.text,
  html: mailHtml(mail),
  messageId: `<${mail.id}@${domainOf(from)}>`,
  headers: { "Content-Language": mail.language, "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
  disableFileAccess: true,
  disableUrlAccess: true
})
