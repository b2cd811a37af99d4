import { Schema } from "effect"
import { OrganisationId, UserId } from "../kernel/Ids.ts"
import * as Rule from "../kernel/Rule.ts"
import { Email, emailKey, Name } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"

/**
 * The roles of a person in an organisation: ADMIN may do everything, EDITOR change records, VIEWER read. decisions,
 * section 9.
 */
export const Role = Schema.Literals(["ADMIN", "EDITOR", "VIEWER"])
export type Role = typeof Role.Type

/** The roles, the most powerful first. */
export const roles = Role.literals

/** A person, apart from any organisation. E-mail addresses are unique, compared without case. decisions, section 9. */
export class User extends Schema.Opaque<User>()(
  Schema.Struct({
    id: UserId,
    email: Schema.String,
    name: Schema.String,
    created_at: Instant
  }).annotate({ identifier: "User" })
) {}

/** A person's membership of an organisation, with its role. */
export class Membership extends Schema.Opaque<Membership>()(
  Schema.Struct({
    organisation_id: OrganisationId,
    user_id: UserId,
    role: Role,
    created_at: Instant,
    updated_at: Instant
  }).annotate({ identifier: "Membership" })
) {}

/** The input of a new user, which an operator gives. */
export const NewUser = Schema.Struct({ email: Email, name: Name }).annotate({ identifier: "NewUser" })
export type NewUser = typeof NewUser.Type

/** How a user is found by e-mail address. */
export const userEmailKey = emailKey

/**
 * Members who are informed when the service acts on the organisation itself, as when it disables an endpoint.
 * decisions, section 4: Webhook endpoints.
 */
export const admin = Rule.rulesOf<Membership>().is("role", "ADMIN")

/**
 * Whether a member may change what belongs to the organisation.
 * @example Membership.mayEdit({ role: "VIEWER" }) // => false
 */
export const mayEdit = ({ role }: Pick<Membership, "role">): boolean => role !== "VIEWER"
