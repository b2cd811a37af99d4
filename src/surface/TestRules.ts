export { type TestRule, testMethods, testRules } from "../domain/payments/TestRules.ts"
