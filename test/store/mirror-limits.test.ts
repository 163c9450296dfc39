import { mirrorLimitsContract } from '../contract/mirror-limits.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(mirrorLimitsContract);
