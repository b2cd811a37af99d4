export {
  type Condition,
  type Kind,
  type ListQuery,
  type ListSpec,
  type Operator,
  type Page,
  parse,
  passes,
  type Scalar,
  within
} from "../domain/kernel/Listing.ts"
