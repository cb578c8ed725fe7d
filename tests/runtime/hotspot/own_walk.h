/* For agents of the Java VM: their thread's stack, by the walker of src/runtime/hotspot. */
#ifndef SONDE_TESTS_RUNTIME_HOTSPOT_OWN_WALK_H
#define SONDE_TESTS_RUNTIME_HOTSPOT_OWN_WALK_H

#include "preload/jni.h"
#include "runtime/hotspot/frames.h"
#include "runtime/hotspot/tables.h"

/* The VM's interface for agents, by the places that its specification gives. */
typedef struct jvmti_functions *jvmti;
struct jvmti_functions {
    void *function[200];
};
enum { SET_EVENT_MODE = 2, DEALLOCATE = 47, GET_METHODS = 52, GET_CLASSES = 78, SET_CALLBACKS = 122 };
enum { EVENT_INIT = 50, EVENT_DEATH = 51, EVENT_CLASS_LOAD = 55, EVENT_CLASS_PREPARE = 56, EVENTS = 40 };
enum { JVMTI_VERSION = 0x30010000 };

/* callbacks[event − EVENT_INIT], of which those that are not NULL are asked for. Returns what Agent_OnLoad() does. */
int32_t own_walk_begin(jni_vm *vm, void *callbacks[EVENTS]);

/* Once the VM runs: finds its tables. False: it has none. */
bool own_walk_find_vm(void);

extern struct hotspot_layout own_layout;
extern struct hotspot_state own_state;

/* The stack that was interrupted with this context of a signal, into own_raw. One thread at a time. True: it is whole. */
extern struct raw_stack own_raw;
bool own_walk(void *context);

/* Sends SIGPROF by CPU time; 0 = no more. */
void own_walk_set_timer(long interval_us);

#endif
