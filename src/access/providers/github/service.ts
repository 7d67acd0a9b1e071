/** Loaded when the first connection of this kind is used. */
export { githubProtocol } from './protocol.ts'
