/** What other rooms may use of the audit log. */
export { checkpoint, ends, find, findLatestAbout, walk } from './audit.ts'
export { toNdjson } from './export.ts'
export { jobs } from './jobs.ts'
export { queries } from './queries.ts'
export { anonymous, createRecorder, type Recorder } from './recorder.ts'
export { answerRecorded, type RecordRefusal, refusalRecorder } from './refusals.ts'
export { type Verdict, verifyStore } from './verify-store.ts'
