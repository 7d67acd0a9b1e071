/** Configuration as a file: what a file may contain, the plan, the apply. Leaves the rules of each object to its own room. */
export { createConfigurator } from './configurator.ts'
export { applyAtStart } from './start.ts'
