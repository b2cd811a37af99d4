export { RegimeFile } from "../domain/compliance/RegimeBook.ts"
