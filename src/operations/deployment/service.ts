/** Health, and the nodes of a deployment. */
export { healthRoutes } from './health.ts'
export { nodeReports } from './node-reports.ts'
