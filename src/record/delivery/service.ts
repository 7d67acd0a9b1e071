/** Sending with repetition: lanes, schedules, the health of a destination. */
export { type Dispatcher, startDispatching } from './dispatcher.ts'
export { type Health, healthAfter, type Learned } from './health.ts'
export { createLane, type Lane, type LaneParts } from './lane.ts'
export { delayAfter, jitter } from './schedule.ts'
