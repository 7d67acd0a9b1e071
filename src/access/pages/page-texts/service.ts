/** The texts of all pages, and the choice of their language. */
export { type ChoiceNeeds, chosenForSeconds, chosenLanguage, languageInQuery, languageOf } from './choice.ts'
export type { PermissionSubject, TestDetails } from './parts.ts'
export { type Language, languageFor, languageNames, languages, type Texts, textsIn } from './texts.ts'
