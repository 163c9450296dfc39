import { opaqueCodesContract } from '../contract/opaque-codes.contract.ts';
import { onEachIsolation } from '../harness/databases.ts';

onEachIsolation(opaqueCodesContract);
