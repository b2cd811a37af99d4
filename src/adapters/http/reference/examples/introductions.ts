import { idOf, instant } from "../Samples.ts"
import { type Examples, later, page } from "./Example.ts"

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

export const introductionExamples = {
  "introductions.send": {
    request: {
      invitee_email: "bea@example.org",
      invitee_org_name_hint: "Riverside Shelter",
      invitee_message: "We would like to recommend you to our donors.",
      external_id: "partner-42"
    },
    answer: introduction
  },
  "introductions.list": { answer: page(introduction) },
  "introductions.read": { answer: introduction },
  "introductions.resend_email": { answer: { ...introduction, resend_count: 1, last_resent_at: later } },
  "introductions.revoke": { answer: { ...introduction, status: "REVOKED", revoked_at: later } }
} satisfies Examples
