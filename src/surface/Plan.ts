export { entitlements, Plan, plans } from "../domain/access/Plan.ts"
