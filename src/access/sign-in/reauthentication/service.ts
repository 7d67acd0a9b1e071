/** Confirms that the user of a session is still there. Leaves the proofs to sign-in/ and what needs one to the routes. */
export { check } from './reauthentication.ts'
