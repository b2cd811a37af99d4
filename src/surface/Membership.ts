export { Membership, NewUser, Role, User } from "../domain/access/Membership.ts"
