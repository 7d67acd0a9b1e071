/** Everything that `rollbook doctor` looks at. */
export { checkClocks } from './clock.ts'
export { checkConfiguration } from './configuration.ts'
export { checkDeployment } from './deployment.ts'
export { checkDisk } from './disk.ts'
export { checkDataFiles, checkNamedFiles } from './files.ts'
export type { Finding, Group, Status } from './finding.ts'
export { checkMail } from './mail.ts'
export { checkIndexes, checkStore, openStore } from './storage.ts'
