import { HttpApiGroup, OpenApi } from "effect/http-api"
import { introductionOperations } from "../../../../app/sharing/Introductions.ts"
import { Limits } from "../../../../domain/kernel/Limits.ts"
import { changeErrors } from "../../pipeline/ErrorEnvelope.ts"
import { del, get, post } from "../Declare.ts"
import { idOf, instant, later, page } from "../Example.ts"

const introduction = {
  id: idOf("introduction"),
  status: "PENDING",
  invitee_email: "bea@example.org",
  invitee_org_name_hint: "Riverside Shelter",
  external_id: "partner-42",
  expires_at: "2026-05-01T02:30:00.000Z",
  resend_count: 0,
  created_at: instant,
  invite_url: `https://harbour.example.org/i/${idOf("introduction")}.mM0rH9bYkzq1x8WvLr3cT5dQ7fJ2sN6pA4eGhUiKoZE`
}

export class IntroductionsGroup extends HttpApiGroup.make("introductions")
  .add(
    post(introductionOperations.send, "send", "/introductions", {
      status: 201,
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
    }),
    get(introductionOperations.list, "list", "/introductions", {
      description: "Newest first. An introduction whose time has run out is listed as expired at once.",
      example: { answer: page(introduction) }
    }),
    get(introductionOperations.read, "read", "/introductions/:id", {
      description: "Whoever has invite_url can act as the invitee: keep it as you would keep a key.",
      example: { answer: introduction }
    }),
    post(introductionOperations.resendEmail, "resendEmail", "/introductions/:id/resend_email", {
      description: `With the same link, while it is pending or viewed, at most ${Limits.introductionResends} times.`,
      example: { answer: { ...introduction, resend_count: 1, last_resent_at: later } }
    }),
    del(introductionOperations.revoke, "revoke", "/introductions/:id", {
      error: changeErrors,
      description: "Its link opens nothing any more. One that is linked or expired is a conflict.",
      example: { answer: { ...introduction, status: "REVOKED", revoked_at: later } }
    })
  )
  .annotate(OpenApi.Description, "Invitations of partner organisations to become recipients.") {}
