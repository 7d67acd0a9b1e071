/** What other rooms may use. */
export { healthRoutes } from './health.ts'
export { nodeReports } from './node-reports.ts'
