import { Result } from "effect"
import fc from "fast-check"
import { emissionsOf } from "../../domain/kernel/Machine.ts"
import * as Introduction from "../../domain/sharing/Introduction.ts"
import * as InviteToken from "../../domain/sharing/InviteToken.ts"
import type { Model } from "../Models.ts"
import { again, charity, type Driven, hour, isReached, nothing, real, start, stateOf } from "./Charity.ts"

const tagged = <T extends Introduction.Command["_tag"]>(tag: T) => fc.record({ _tag: fc.constant(tag), at: hour })

const commands: fc.Arbitrary<Introduction.Command> = fc.oneof(
  { weight: 3, arbitrary: tagged("Open") },
  { weight: 12, arbitrary: tagged("Resend") },
  { weight: 1, arbitrary: tagged("Revoke") },
  { weight: 2, arbitrary: tagged("Expire") }
)

const resends = 3

/**
 * Introductions that are sent, opened, sent again, revoked, and expired by a sweep, beside {@link Introduction.machine}.
 * Every read shows an expiry before the sweep writes it.
 */
export const introductions = (
  driven: Driven
): Model<Introduction.Introduction, Introduction.Status, Introduction.Command, Introduction.IntroductionEvent> => ({
  machine: Introduction.machine,
  commands,
  maxLength: 10,
  fields: Object.keys(Introduction.eventData.fields),
  shown: (introduction, at = start) => {
    const isOver = introduction.revoked_at === null && isReached(introduction.expires_at, at)
    return { ...introduction, status: isOver ? "EXPIRED" : introduction.status }
  },
  open: async () => {
    const { calls, id: organisation_id } = await charity(driven)
    const shown = await calls.introductions.send({ invitee_email: "kim@example.org", ttl_days: 3 })
    const born = stateOf(Introduction.Introduction, shown, {
      organisation_id,
      invitee_message: null,
      token_key_id: "",
      accepted_by_user_id: null,
      linked_by_user_id: null
    })
    const token = InviteToken.tokenIn(shown.invite_url)
    const { read, resendEmail, revoke } = calls.introductions
    return real(driven, calls, born, read, (command: Introduction.Command) => {
      if (command._tag === "Open") return driven.almoner.invitations.open({ token, request_id: "model" })
      if (command._tag === "Expire") return driven.almoner.sweep()
      return command._tag === "Resend" ? resendEmail(born.id) : revoke(born.id)
    })
  },
  answers: (decides, state, command) => {
    const decision = decides(state, command)
    // An invitee is shown what there is, and the sweep finds what there is to do: nothing is refused.
    if (command._tag === "Open" || command._tag === "Expire") {
      return Result.isFailure(decision) ? nothing(state) : decision
    }
    return command._tag === "Revoke" && state.status === "REVOKED"
      ? again(state, emissionsOf(Introduction.machine, ["introduction.revoked"], state, command))
      : decision
  },
  refusal: ({ _tag }, { expires_at, resend_count, status }, { _tag: command, at }) => {
    const isOpen = status === "PENDING" || status === "VIEWED"
    const isFull = command === "Resend" && isOpen && resend_count >= resends && !isReached(expires_at, at)
    return isFull ? "LimitReached" : _tag
  }
})
