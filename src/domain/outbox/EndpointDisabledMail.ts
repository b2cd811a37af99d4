import type { DateTime } from "effect"
import type { Organisation } from "../access/Organisation.ts"
import { Limits } from "../kernel/Limits.ts"
import { type MailContent, momentText, onOneLine } from "../kernel/MailContent.ts"
import type { WebhookEndpoint } from "./WebhookEndpoint.ts"

/** The facts that the mail about a disabled endpoint tells. */
export interface EndpointDisabledMail extends Pick<WebhookEndpoint, "id" | "description" | "url"> {
  readonly organisation: Pick<Organisation, "name" | "timezone">
  readonly disabled_at: DateTime.Utc
}

const days = Limits.endpointDisableHours / 24

/**
 * The mail to an organisation's admins when the service disabled a webhook endpoint. Throws a `TypeError` for a `url` that
 * is none. decisions, section 4: Webhook endpoints.
 * @example
 * const { subject } = EndpointDisabledMail.endpointDisabledMail({
 *   id: endpoint_id,
 *   url: "https://hooks.example.org/x?token=secret",
 *   description: null,
 *   disabled_at: at,
 *   organisation: { name: "Sea Rescue", timezone: "Australia/Sydney" }
 * })
 * subject // => "A webhook endpoint of Sea Rescue was disabled"
 */
export const endpointDisabledMail = ({
  description,
  disabled_at,
  id,
  organisation,
  url
}: EndpointDisabledMail): MailContent => {
  const name = onOneLine(organisation.name)
  const purpose = onOneLine(description ?? "")
  // The host alone: paths and queries of receivers' URLs may hold secrets.
  const { host } = new URL(url)
  const named = purpose === "" ? id : `${id} (${purpose})`
  return {
    language: "en-AU",
    subject: `A webhook endpoint of ${name} was disabled`,
    parts: [
      `The webhook endpoint ${named} of ${name}, at ${host}, was disabled on ${momentText(disabled_at, organisation.timezone)}.`,
      `Every delivery to it had failed for ${days} days. Deliveries that were still waiting have ended.`,
      "When the receiver answers again, set is_active to true on the endpoint, and replay the deliveries that failed. What happens while it is disabled is recorded and has no deliveries: read it from the list of events, from this time on."
    ]
  }
}
