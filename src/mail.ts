/**
 * The HTML of mails, for a host that sends them by a transport of its own: `html: mailHtml(message)` beside
 * `text: message.text`. It needs `hono`. docs/guides/embed.md
 */

export { mailHtml } from "./adapters/mail/MailDocument.tsx"
