/**
 * Changes that users make to themselves. The credential says who they are, never the input. Leaves the rules of users to
 * users/, and checking the current password to sign-in/.
 */
export { type MeNeeds, meOf } from './me-of.ts'
export { changeOwnPassword, isPasswordEnough, type OwnPasswordNeeds } from './password.ts'
