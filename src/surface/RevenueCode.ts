export {
  births,
  Command,
  codeKey,
  derivedColumns,
  listing,
  machine,
  Namespace,
  NewRevenueCode,
  RevenueCode,
  RevenueCodePatch,
  RevenueCodeRecord
} from "../domain/giving/RevenueCode.ts"
