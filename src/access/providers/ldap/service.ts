/** Loaded when the first connection of this kind is used. */
export { ldapProtocol } from './protocol.ts'
