/** Health, and the nodes of a deployment. */
export { nodeReports } from './node-reports.ts'
