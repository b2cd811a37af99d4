import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { introductionOperations } from "../../../../app/sharing/Introductions.ts"
import { Limits } from "../../../../domain/kernel/Limits.ts"
import { IntroductionRecord } from "../../../../domain/sharing/Introduction.ts"
import { changeErrors, createErrors, listErrors, readErrors } from "../../pipeline/ErrorEnvelope.ts"
import { over, pageOf, performs } from "../Declare.ts"
import { idOf, instant, later, page } from "../Example.ts"

const introduction = {
  id: idOf("introduction"),
  status: "PENDING",
  invitee_email: "bea@example.org",
  invitee_org_name_hint: "Riverside Shelter",
  external_id: "partner-42",
  expires_at: "2026-05-01T02:30:00.000Z",
  viewed_at: null,
  accepted_at: null,
  linked_at: null,
  revoked_at: null,
  accepted_organisation_id: null,
  accepted_recipient_org_account_link_id: null,
  resend_count: 0,
  last_resent_at: null,
  created_at: instant,
  invite_url: `https://harbour.example.org/i/${idOf("introduction")}.mM0rH9bYkzq1x8WvLr3cT5dQ7fJ2sN6pA4eGhUiKoZE`
}

export class IntroductionsGroup extends HttpApiGroup.make("introductions")
  .add(
    HttpApiEndpoint.post("send", "/introductions", {
      ...over(introductionOperations.send),
      success: IntroductionRecord.pipe(HttpApiSchema.status(201)),
      error: createErrors
    }).annotateMerge(
      performs(introductionOperations.send, {
        summary: "Send an introduction",
        description: `Mails the invitee a link. invitee_message is in the mail and on the page behind the link, and never in an answer. external_id stays taken whatever becomes of the introduction: a second use is a conflict that names the holder. At most ${Limits.introductionsPending} introductions of the last ${Limits.introductionWindowHours} hours may be pending.`,
        example: {
          request: {
            invitee_email: "bea@example.org",
            invitee_org_name_hint: "Riverside Shelter",
            invitee_message: "We would like to recommend you to our donors.",
            external_id: "partner-42"
          },
          answer: introduction
        }
      })
    ),
    HttpApiEndpoint.get("list", "/introductions", {
      ...over(introductionOperations.list),
      success: pageOf(IntroductionRecord, "IntroductionPage"),
      error: listErrors
    }).annotateMerge(
      performs(introductionOperations.list, {
        summary: "List introductions",
        description: "Newest first. An introduction whose time has run out is listed as expired at once.",
        example: { answer: page(introduction) }
      })
    ),
    HttpApiEndpoint.get("read", "/introductions/:id", {
      ...over(introductionOperations.read, "id"),
      success: IntroductionRecord,
      error: readErrors
    }).annotateMerge(
      performs(introductionOperations.read, {
        summary: "Read an introduction",
        description: "Whoever has invite_url can act as the invitee: keep it as you would keep a key.",
        example: { answer: introduction }
      })
    ),
    HttpApiEndpoint.post("resendEmail", "/introductions/:id/resend_email", {
      ...over(introductionOperations.resendEmail, "id"),
      success: IntroductionRecord,
      error: changeErrors
    }).annotateMerge(
      performs(introductionOperations.resendEmail, {
        summary: "Mail an introduction again",
        description: `With the same link, while it is pending or viewed, at most ${Limits.introductionResends} times.`,
        example: { answer: { ...introduction, resend_count: 1, last_resent_at: later } }
      })
    ),
    HttpApiEndpoint.delete("revoke", "/introductions/:id", {
      ...over(introductionOperations.revoke, "id"),
      success: IntroductionRecord,
      error: changeErrors
    }).annotateMerge(
      performs(introductionOperations.revoke, {
        summary: "Revoke an introduction",
        description: "Its link opens nothing any more. One that is linked or expired is a conflict.",
        example: { answer: { ...introduction, status: "REVOKED", revoked_at: later } }
      })
    )
  )
  .annotate(OpenApi.Description, "Invitations of partner organisations to become recipients.") {}
