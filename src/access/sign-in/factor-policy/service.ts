/** Reports how a second-factor policy affects existing users, before it is set and while it is in force. */
export { findUnknown, queries } from './factor-policy.ts'
