/** Limits of failed attempts, and locks. */
export { callerOf, linkAttempt, ownPasswordAttempt, secondFactorAttempt, signInAttempt } from './attempt.ts'
export { type Device, deviceSeconds, newDeviceId, readDevices, withDevice } from './device.ts'
export { forgetAddresses } from './forget-networks.ts'
export { jobs } from './jobs.ts'
export {
  clearFailures,
  countCodeRequest,
  countEntry,
  giveBackAttempt,
  holdBudgets,
  refuseEarly,
  reserveAttempt,
} from './reservations.ts'
export type { Attempt, Reservation } from './throttle.ts'
export { unlock } from './unlock.ts'
